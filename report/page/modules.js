/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the modules of a library that come one a file, each of which calls define(). */
"use strict";
const modules = {};
function take(name, run) {
  const define = (needs, make) => {
    const exported = {};
    modules[name] = exported;
    make(...needs.map(need => need === "exports" ? exported : modules[need]));
  };
  define.amd = {};
  run.call(globalThis, define);
}
