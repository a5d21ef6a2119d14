/**
 * Rule sets with headers and their right answers, read from files or generated, for checks and
 * measurements.
 */
@NullMarked
package dev.sluice.lab.sets;

import org.jspecify.annotations.NullMarked;
