/** Oracles and generators of policies for tests, also of other modules. */
@NullMarked
package dev.sluice.policy.testing;

import org.jspecify.annotations.NullMarked;
