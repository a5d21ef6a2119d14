/**
 * {@code gpu check}: tests of a GPU's answers. {@code KernelCheck} compares every kernel on a rule
 * set with known answers. {@code SubjectCheck} compares kernels and engines ({@code
 * DeviceSubjects}) with the oracle, as the engine's own tests do, and also devices that fail, that
 * are shared, or whose images come and go ({@code StressSubjects}).
 */
@NullMarked
package dev.sluice.lab.gpu.check;

import org.jspecify.annotations.NullMarked;
