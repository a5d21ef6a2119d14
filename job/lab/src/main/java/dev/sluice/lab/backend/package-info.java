/** Who classifies in a benchmark: what was asked for, and what really did. */
@NullMarked
package dev.sluice.lab.backend;

import org.jspecify.annotations.NullMarked;
