/** ClassBench filter sets, by {@link dev.sluice.policy.classbench.ClassBenchFormat}. */
@NullMarked
package dev.sluice.policy.classbench;

import org.jspecify.annotations.NullMarked;
