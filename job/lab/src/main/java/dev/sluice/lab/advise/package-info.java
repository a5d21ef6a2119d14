/**
 * What a policy asks of this machine: look-ups measured on its cores and its device, and from that
 * what a job would carry and what to set. What is not measured here says where it comes from.
 */
@NullMarked
package dev.sluice.lab.advise;

import org.jspecify.annotations.NullMarked;
