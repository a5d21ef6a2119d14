/**
 * Rule sets with headers and the right answers, to check and to measure with: read from files, or
 * generated.
 */
@NullMarked
package dev.sluice.lab.sets;

import org.jspecify.annotations.NullMarked;
