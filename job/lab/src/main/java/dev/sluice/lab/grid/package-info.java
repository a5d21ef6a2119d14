/**
 * The engine on a grid of generated policies, from few kinds of services and gentle nesting to many
 * and deep, beside rte_acl: whether a policy falls off a cliff where ClassBench's sets end.
 */
@NullMarked
package dev.sluice.lab.grid;

import org.jspecify.annotations.NullMarked;
