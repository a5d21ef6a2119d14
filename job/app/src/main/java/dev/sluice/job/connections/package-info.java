/** Connections of captures, for people and programs. */
@NullMarked
package dev.sluice.job.connections;

import org.jspecify.annotations.NullMarked;
