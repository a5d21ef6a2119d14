package dev.sluice.operators.connections;

import java.util.List;

/**
 * A tracker at one time: its clock, where its clean-up is, and pages.
 *
 * @param time latest time of a packet, in nanoseconds
 * @param sweepIpv4 place of the clean-up in the pages of IPv4
 * @param sweepIpv6 place of the clean-up in the pages of IPv6
 * @param pages all of them, or those that changed since the image before
 */
public record TrackerImage(long time, long sweepIpv4, long sweepIpv6, List<PageImage> pages) {
    public TrackerImage {
        pages = List.copyOf(pages);
    }
}
