/*
 * The reference of the draws: contract-tests/randoms/README.md, line by line.
 *
 *     gcc -std=c11 -O2 -Wall -Wextra -o draws draws.c
 *     ./draws 1000000 42 > body.json        the body for this count and seed
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s COUNT SEED\n", argv[0]);
        return 2;
    }
    uint32_t const count = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t x = (uint32_t)strtoul(argv[2], NULL, 10);
    static uint32_t drawn[1001];
    for (uint32_t i = 0; i < count; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        drawn[1 + x % 1000]++;
    }
    printf("{\"count\":%" PRIu32 ",\"counts\":{", count);
    char const *separator = "";
    for (int number = 1; number <= 1000; number++) {
        if (drawn[number] > 0) {
            printf("%s\"%d\":%" PRIu32, separator, number, drawn[number]);
            separator = ",";
        }
    }
    printf("}}");
    return 0;
}
