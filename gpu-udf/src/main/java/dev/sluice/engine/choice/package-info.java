/**
 * Compiler of rule sets, and the choice of an algorithm for it.
 *
 * <p>{@link dev.sluice.engine.choice.Compiler} compiles by the algorithm that {@link
 * dev.sluice.engine.choice.CompileOptions} name. With {@code auto}, {@code AutoChoice} asks each
 * algorithm for its claims on the rules. A claim without a measurement is taken first. Else the
 * candidates are compiled ({@code Attempts}) and timed ({@code Calibration}): on the CPU by {@code
 * CpuRates}, on a device by {@code DeviceRates}. Many rules are tried on a part first.
 *
 * <p>{@link dev.sluice.engine.choice.FollowingBases} compile the rules again while they change. The
 * choice holds until the rules are half or twice as many, or until the algorithm refuses them.
 *
 * <pre>
 *  Compiler ─▶ AutoChoice ─▶ Attempts ─▶ Algorithm.compile ─▶ rules passed on ─▶ Compiler
 *                  │                                          (CompileContext.Others)
 *                  ▼
 *              Calibration ◀─ CpuRates, DeviceRates
 * </pre>
 */
@NullMarked
package dev.sluice.engine.choice;

import org.jspecify.annotations.NullMarked;
