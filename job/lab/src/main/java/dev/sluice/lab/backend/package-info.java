/** Backend of a benchmark: the requested one, and those that really classified. */
@NullMarked
package dev.sluice.lab.backend;

import org.jspecify.annotations.NullMarked;
