/**
 * Checks that a GPU answers correctly. {@code KernelCheck} compares every kernel on a rule set with
 * known answers. {@code SubjectCheck} holds subjects of the engine's own tests against the oracle:
 * kernels and engines ({@code DeviceSubjects}), and devices that fail, that are shared, or whose
 * images come and go ({@code StressSubjects}).
 */
@NullMarked
package dev.sluice.lab.gpu.check;

import org.jspecify.annotations.NullMarked;
