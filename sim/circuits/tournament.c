/* SPDX-License-Identifier: Apache-2.0 */
/* The circle method: in matching r, a and b meet where a + b = r modulo the number of matchings; of
 * an even number the last member stays outside the circle and meets who would meet himself. */
#include "sim/circuits/tournament.h"

guint32
lp_tournament_n_matchings(guint32 n)
{
    return n % 2 == 0 ? n - 1 : n;
}

guint32
lp_tournament_opponent(guint32 n, guint32 matching, guint32 member)
{
    guint32 circle = lp_tournament_n_matchings(n);
    if (member == circle) {
        /* The one with 2 a = r: halving modulo an odd number. */
        return matching % 2 == 0 ? matching / 2 : (matching + circle) / 2;
    }
    guint32 other = (matching + circle - member) % circle;
    if (other == member)
        return n % 2 == 0 ? circle : member;
    return other;
}
