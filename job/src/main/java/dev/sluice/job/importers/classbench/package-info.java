/** ClassBench filter sets. */
@NullMarked
package dev.sluice.job.importers.classbench;

import org.jspecify.annotations.NullMarked;
