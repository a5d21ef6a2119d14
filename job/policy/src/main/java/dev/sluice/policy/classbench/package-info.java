/** ClassBench filter sets. */
@NullMarked
package dev.sluice.policy.classbench;

import org.jspecify.annotations.NullMarked;
