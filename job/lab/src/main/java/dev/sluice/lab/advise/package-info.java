/**
 * Advice on a policy for this machine ({@link dev.sluice.lab.advise.AdviseCommand}): measured
 * look-ups of its cores and its device, a job's estimated throughput, and settings. Figures that
 * were measured elsewhere name their source.
 */
@NullMarked
package dev.sluice.lab.advise;

import org.jspecify.annotations.NullMarked;
