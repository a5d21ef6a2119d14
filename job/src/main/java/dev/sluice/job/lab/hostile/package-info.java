/**
 * Builds of rules that are hard for some structure: each algorithm compiles each pattern or refuses
 * it, and what that takes is counted.
 */
@NullMarked
package dev.sluice.job.lab.hostile;

import org.jspecify.annotations.NullMarked;
