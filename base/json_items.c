/* SPDX-License-Identifier: Apache-2.0 */
/* Brackets and quotation marks say where an item ends; jansson reads it, and says what is wrong. */
#include "base/json_items.h"

#include "base/file.h"

#include <string.h>

/* A part of a text that has not been read. */
typedef struct {
    const char *at, *end;
    guint line; /* of @at, from 1 */
} Part;

static gboolean
is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

static void
skip_blanks(Part *self)
{
    for (; self->at < self->end && is_blank(*self->at); self->at++)
        self->line += *self->at == '\n' ? 1 : 0;
}

/* Passes @letter over. Returns: FALSE: something else comes. */
static gboolean
skip_letter(Part *self, char letter)
{
    skip_blanks(self);
    gboolean is_there = self->at < self->end && *self->at == letter;
    self->at += is_there ? 1 : 0;
    return is_there;
}

/* Behind the text whose quotation mark stands at @at; NULL: it does not end. */
static const char *
end_of_text(const char *at, const char *end)
{
    for (at++; at < end; at++)
        if (*at == '\\')
            at++;
        else if (*at == '"')
            return at + 1;
    return NULL;
}

/* The end of the value at the beginning of @self, found by its brackets. */
static const char *
end_of_value(const Part *self)
{
    const char *at = self->at;
    for (gsize depth = 0; at != NULL && at < self->end;) {
        if ((*at == ',' || *at == ']' || *at == '}') && depth == 0)
            return at;
        if (*at == '"')
            at = end_of_text(at, self->end);
        else {
            depth += *at == '[' || *at == '{' ? 1 : 0;
            depth -= *at == ']' || *at == '}' ? 1 : 0;
            at++;
        }
    }
    return at != NULL ? at : self->end;
}

static void
skip_to(Part *self, const char *at)
{
    for (; self->at < at; self->at++)
        self->line += *self->at == '\n' ? 1 : 0;
}

/* Goes behind the bracket with which the list begins. */
static gboolean
find_list(Part *self, const char *key)
{
    if (skip_letter(self, '['))
        return TRUE;
    if (!skip_letter(self, '{'))
        return FALSE;
    do {
        skip_blanks(self);
        if (self->at >= self->end || *self->at != '"')
            return FALSE;
        const char *name = self->at + 1, *behind = end_of_text(self->at, self->end);
        if (behind == NULL)
            return FALSE;
        gsize length = (gsize)(behind - 1 - name);
        gboolean is_key = length == strlen(key) && memcmp(name, key, length) == 0;
        skip_to(self, behind);
        if (!skip_letter(self, ':'))
            return FALSE;
        if (is_key)
            return skip_letter(self, '[');
        skip_blanks(self);
        skip_to(self, end_of_value(self));
    } while (skip_letter(self, ','));
    return FALSE;
}

static gboolean
take_items(Part *self, const char *path, LpJsonItem take, gpointer data, GError **error)
{
    skip_blanks(self);
    if (self->at < self->end && *self->at == ']')
        return TRUE;
    for (gsize index = 0;; index++) {
        skip_blanks(self);
        const char *end = end_of_value(self);
        g_autoptr(json_t) item =
            lp_json_read_part(path, self->line, self->at, (gsize)(end - self->at), error);
        if (item == NULL || !take(item, index, data, error))
            return FALSE;
        skip_to(self, end);
        if (!skip_letter(self, ','))
            return TRUE;
    }
}

json_t *
lp_json_read_items(const char *path, const char *text, gsize length, const char *key,
                   LpJsonItem take, gpointer data, GError **error)
{
    const char *start = text != NULL ? lp_file_skip_mark(text, &length) : "";
    Part part = {start, start + length, 1};
    if (!find_list(&part, key))
        return lp_json_read(path, text, text != NULL ? length + (gsize)(start - text) : 0, error);
    gsize n_before = (gsize)(part.at - start);
    guint line = part.line;
    if (!take_items(&part, path, take, data, error))
        return NULL;
    /* The rest, in which lines keep their numbers. */
    g_autoptr(GString) rest = g_string_new_len(start, (gssize)n_before);
    for (; line < part.line; line++)
        g_string_append_c(rest, '\n');
    g_string_append_len(rest, part.at, part.end - part.at);
    return lp_json_read(path, rest->str, rest->len, error);
}
