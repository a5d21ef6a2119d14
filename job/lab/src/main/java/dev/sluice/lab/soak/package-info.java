/**
 * {@code sluice soak}: a cluster of real processes under load, which are killed by a seeded plan
 * while rules change. Every verdict is compared with a reference.
 *
 * <p>{@code Soak} is the run. {@code FaultPlan} draws the kills, {@code SoakCluster} holds the
 * processes, {@code SoakLoad} and {@code SoakRules} feed them, and {@code SoakCheck} compares the
 * output.
 */
@NullMarked
package dev.sluice.lab.soak;

import org.jspecify.annotations.NullMarked;
