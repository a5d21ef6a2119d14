/** Address prefixes of up to 128 bits and sets of them in walking order. */
@NullMarked
package dev.sluice.engine.prefix;

import org.jspecify.annotations.NullMarked;
