/** A rule format that only the tests have: one class, and one service line. */
@NullMarked
package dev.sluice.policy.toy;

import org.jspecify.annotations.NullMarked;
