/** Options that benches of the engine share, and the count of headers by CPU and device. */
@NullMarked
package dev.sluice.lab.backend;

import org.jspecify.annotations.NullMarked;
