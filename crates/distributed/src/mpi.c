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

/* Waits for all of some requests. Libraries wait by looking without end, which costs a core that others could use: a rank may wait for
   as long as the first one solves a step alone. */
static void wait_for(int count, MPI_Request *requests)
{
    int done = 0;
    double start = 0.0;
    for (long looks = 0;; looks++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done) {
            return;
        }
        if (looks < EAGER) {
            sched_yield();
            continue;
        }
        double now = MPI_Wtime();
        if (looks == EAGER) {
            start = now;
        }
        double pause = 0.125 * (now - start);
        struct timespec sleep = {0, (long)(1e9 * (pause < LONGEST ? pause : LONGEST))};
        nanosleep(&sleep, NULL);
    }
}

/* Tells every rank how much it will get from this one; one number for each. */
void drystone_mpi_sizes(const uint64_t *outgoing, uint64_t *incoming)
{
    MPI_Request request;
    MPI_Ialltoall(outgoing, 1, MPI_UINT64_T, incoming, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for(1, &request);
}

static int pieces(uint64_t size)
{
    return (int)((size + PIECE - 1) / PIECE);
}

/* Sends to some ranks and receives from them; all sizes are known. Returns 0, or 1 where there is no memory. */
int drystone_mpi_swap(int count, const int *ranks, const void **outgoing, const uint64_t *outgoing_sizes,
                      void **incoming, const uint64_t *incoming_sizes)
{
    int most = 0, open = 0;
    for (int i = 0; i < count; i++) {
        most += pieces(outgoing_sizes[i]) + pieces(incoming_sizes[i]);
    }
    MPI_Request *requests = malloc((size_t)(most + 1) * sizeof *requests);
    if (requests == NULL) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        for (uint64_t at = 0; at < incoming_sizes[i]; at += PIECE) {
            uint64_t left = incoming_sizes[i] - at;
            MPI_Irecv((char *)incoming[i] + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, ranks[i], 7,
                      MPI_COMM_WORLD, &requests[open++]);
        }
    }
    for (int i = 0; i < count; i++) {
        for (uint64_t at = 0; at < outgoing_sizes[i]; at += PIECE) {
            uint64_t left = outgoing_sizes[i] - at;
            MPI_Isend((const char *)outgoing[i] + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, ranks[i],
                      7, MPI_COMM_WORLD, &requests[open++]);
        }
    }
    wait_for(open, requests);
    free(requests);
    return 0;
}
