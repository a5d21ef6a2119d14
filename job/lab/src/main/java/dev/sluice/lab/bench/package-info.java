/** Measurements: the engine alone on a header trace, and the whole corridor. */
@NullMarked
package dev.sluice.lab.bench;

import org.jspecify.annotations.NullMarked;
