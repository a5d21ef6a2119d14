/**
 * Measurements of the whole job beside what bounds it: the job as one would write it without
 * Sluice, the same plumbing with a trivial verdict, and Kafka alone.
 */
@NullMarked
package dev.sluice.lab.corridor;

import org.jspecify.annotations.NullMarked;
