/** Address prefixes of up to 128 bits and ordered sets of them. */
@NullMarked
package dev.sluice.engine.prefix;

import org.jspecify.annotations.NullMarked;
