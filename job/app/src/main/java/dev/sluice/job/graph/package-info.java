/** The one job graph, its options and the uids of its operators. */
@NullMarked
package dev.sluice.job.graph;

import org.jspecify.annotations.NullMarked;
