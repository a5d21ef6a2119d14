/**
 * {@code bench grid}: the engine beside DPDK's rte_acl on generated policies, from few kinds of
 * services and shallow nesting of prefixes to many kinds and deep nesting. It shows where the
 * engine becomes slow beyond ClassBench's sets.
 */
@NullMarked
package dev.sluice.lab.grid;

import org.jspecify.annotations.NullMarked;
