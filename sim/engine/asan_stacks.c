/* SPDX-License-Identifier: Apache-2.0 */
/* Only under AddressSanitizer, which does not know that the engine gives each actor a stack from
 * the heap: where one is left at once, by an exception with which an actor ends, marks of the
 * variables that were on it would stay, and the sanitizer's own way to clear them ends at the
 * process' stack. This replaces it (libasan calls it by name), and goes up to the end of the
 * actor's stack. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <sanitizer/asan_interface.h>

#include <dlfcn.h>
#include <string.h>

void
__asan_handle_no_return(void)
{
    static void (*next)(void);
    char *here = __builtin_frame_address(0);
    char name[1];
    void *stack = NULL;
    size_t size = 0;
    const char *place = __asan_locate_address(here, name, sizeof name, &stack, &size);
    char *end = (char *)stack + size;
    if (strcmp(place, "heap") == 0 && here >= (char *)stack && here < end) {
        __asan_unpoison_memory_region(here, (size_t)(end - here));
        return;
    }
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "__asan_handle_no_return");
    next();
}
