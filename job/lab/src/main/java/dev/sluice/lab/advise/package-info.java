/**
 * Advice on a policy for this machine. It has look-ups measured on its cores and its device, a
 * job's estimated throughput, and settings. Figures that are not measured here name their source.
 */
@NullMarked
package dev.sluice.lab.advise;

import org.jspecify.annotations.NullMarked;
