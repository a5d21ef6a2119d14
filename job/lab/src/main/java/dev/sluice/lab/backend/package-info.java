/** Options that benches share, and the backends that classified. */
@NullMarked
package dev.sluice.lab.backend;

import org.jspecify.annotations.NullMarked;
