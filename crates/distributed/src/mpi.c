/* The few calls of MPI that a run needs, in one C interface for every MPI library. */

#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* A message may be longer than an int can count; it is sent in pieces. */
#define PIECE ((uint64_t)1 << 30)

/* Begins. Returns 0, or 1 where the library allows no threads. */
int drystone_mpi_start(int *rank, int *ranks)
{
    int provided = MPI_THREAD_SINGLE;
    int running = 0;
    MPI_Initialized(&running);
    if (!running) {
        MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    } else {
        MPI_Query_thread(&provided);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    return provided >= MPI_THREAD_SERIALIZED ? 0 : 1;
}

/* Waits for all ranks, and ends. */
void drystone_mpi_finish(void)
{
    MPI_Finalize();
}

/* Ends all ranks at once. */
void drystone_mpi_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* So many looks, with all others let go first, before a rank sleeps between them. */
#define EAGER 2000
/* It sleeps an eighth of what it has waited, at most so many seconds. */
#define LONGEST 1e-3

/* Lets a while go by between two looks. Libraries wait by looking without end, which costs a core that others could use: a
   rank may wait for as long as the first one solves a step alone. */
static void pause_after(long looks, double *start)
{
    if (looks < EAGER) {
        sched_yield();
        return;
    }
    double now = MPI_Wtime();
    if (looks == EAGER) {
        *start = now;
    }
    double pause = 0.125 * (now - *start);
    struct timespec sleep = {0, (long)(1e9 * (pause < LONGEST ? pause : LONGEST))};
    nanosleep(&sleep, NULL);
}

static void wait_for(int count, MPI_Request *requests)
{
    double start = 0.0;
    int done = 0;
    for (long looks = 0;; looks++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done) {
            return;
        }
        pause_after(looks, &start);
    }
}

/* Pieces of a letter. Only the last one is shorter than the others, and it may have nothing in it. */
static uint64_t pieces(uint64_t size)
{
    return size / PIECE + 1;
}

/* What is on its way. */
struct sent {
    int count;
    MPI_Request requests[];
};

/* Sends a letter to each of some ranks. Returns what is to be waited for by drystone_mpi_sent, or NULL where there is no
   memory. */
struct sent *drystone_mpi_send(int count, const int *ranks, const void **letters, const uint64_t *sizes)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        most += pieces(sizes[i]);
    }
    struct sent *sent = malloc(sizeof *sent + (size_t)most * sizeof(MPI_Request));
    if (sent == NULL) {
        return NULL;
    }
    sent->count = 0;
    for (int i = 0; i < count; i++) {
        for (uint64_t piece = 0; piece < pieces(sizes[i]); piece++) {
            uint64_t at = piece * PIECE, left = sizes[i] - at;
            MPI_Isend((const char *)letters[i] + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, ranks[i], 7,
                      MPI_COMM_WORLD, &sent->requests[sent->count++]);
        }
    }
    return sent;
}

/* Waits until all has been sent. */
void drystone_mpi_sent(struct sent *sent)
{
    wait_for(sent->count, sent->requests);
    free(sent);
}

/* Waits for the next piece from a rank. Returns its size. */
uint64_t drystone_mpi_expect(int rank)
{
    double start = 0.0;
    int there = 0, size = 0;
    MPI_Status status;
    for (long looks = 0;; looks++) {
        MPI_Iprobe(rank, 7, MPI_COMM_WORLD, &there, &status);
        if (there) {
            MPI_Get_count(&status, MPI_BYTE, &size);
            return (uint64_t)size;
        }
        pause_after(looks, &start);
    }
}

/* Takes the piece that was expected. Returns 1 where another one follows. */
int drystone_mpi_take(int rank, void *into, uint64_t size)
{
    MPI_Request request;
    MPI_Irecv(into, (int)size, MPI_BYTE, rank, 7, MPI_COMM_WORLD, &request);
    wait_for(1, &request);
    return size == PIECE;
}
