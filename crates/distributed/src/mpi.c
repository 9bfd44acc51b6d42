/* The few calls of MPI that a run needs, in one C interface for every MPI library. */

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

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

/* Tells every rank how much it will get from this one; one number for each. */
void drystone_mpi_sizes(const uint64_t *outgoing, uint64_t *incoming)
{
    MPI_Alltoall(outgoing, 1, MPI_UINT64_T, incoming, 1, MPI_UINT64_T, MPI_COMM_WORLD);
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
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return 0;
}
