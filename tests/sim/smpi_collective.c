/* SPDX-License-Identifier: Apache-2.0 */
/* An MPI program that does one collective and prints how long it took each rank: test_smpi.py runs
 * it on SimGrid's own MPI. It is built by smpicc, not with the tests.
 *
 *     smpi_collective OPERATION BYTES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @size: bytes of the whole buffer; @part: of a rank's part of it. */
static void
run(const char *operation, char *in, char *out, int size, int part, const int *parts)
{
    if (strcmp(operation, "all-reduce") == 0)
        MPI_Allreduce(in, out, size, MPI_CHAR, MPI_BXOR, MPI_COMM_WORLD);
    else if (strcmp(operation, "all-gather") == 0)
        MPI_Allgather(in, part, MPI_CHAR, out, part, MPI_CHAR, MPI_COMM_WORLD);
    else if (strcmp(operation, "reduce-scatter") == 0)
        MPI_Reduce_scatter(in, out, parts, MPI_CHAR, MPI_BXOR, MPI_COMM_WORLD);
    else if (strcmp(operation, "all-to-all") == 0)
        MPI_Alltoall(in, part, MPI_CHAR, out, part, MPI_CHAR, MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    int n_ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int size = atoi(argv[2]), part = size / n_ranks;
    char *in = calloc((size_t)size, 1), *out = calloc((size_t)size, 1);
    int *parts = calloc((size_t)n_ranks, sizeof *parts);
    for (int i = 0; i < n_ranks; i++)
        parts[i] = part;
    double start_s = MPI_Wtime();
    run(argv[1], in, out, size, part, parts);
    printf("%.12g\n", MPI_Wtime() - start_s);
    MPI_Finalize();
    return 0;
}
