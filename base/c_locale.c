/* SPDX-License-Identifier: Apache-2.0 */
/* The "C" locale for a scope. */
#include "base/c_locale.h"

LpCLocale
lp_c_locale_begin(void)
{
    LpCLocale self = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (self.own != (locale_t)0)
        self.before = uselocale(self.own);
    return self;
}

void
lp_c_locale_end(LpCLocale *self)
{
    if (self->own == (locale_t)0)
        return;
    (void)uselocale(self->before);
    freelocale(self->own);
    self->own = (locale_t)0;
}
