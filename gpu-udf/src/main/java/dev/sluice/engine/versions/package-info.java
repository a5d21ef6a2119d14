/** Rule sets whose versions are numbers in one look-up. */
@NullMarked
package dev.sluice.engine.versions;

import org.jspecify.annotations.NullMarked;
