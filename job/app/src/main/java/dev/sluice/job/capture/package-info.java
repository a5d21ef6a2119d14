/**
 * Capture files and the headers in them: pcap and pcapng, compressed or not, streamed with constant
 * memory; packet bytes to header words.
 *
 * <p>Nothing here throws for what a file holds: a packet gets a {@link
 * dev.sluice.job.capture.PacketStatus}, a file a {@link dev.sluice.job.capture.CaptureEnd}.
 */
@NullMarked
package dev.sluice.job.capture;

import org.jspecify.annotations.NullMarked;
