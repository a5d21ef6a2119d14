/**
 * {@code sluice soak}: a cluster of real processes under load, whose processes are killed again and
 * again by a plan that a seed draws, while rules change. Everything that the job says is compared
 * with the reference.
 *
 * <p>{@code Soak} is the run, {@code FaultPlan} what is killed, {@code SoakCluster} the processes,
 * {@code SoakLoad} and {@code SoakRules} what goes in, {@code SoakCheck} what must come out.
 */
@NullMarked
package dev.sluice.lab.soak;

import org.jspecify.annotations.NullMarked;
