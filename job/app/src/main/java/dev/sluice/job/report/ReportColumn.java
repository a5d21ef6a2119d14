package dev.sluice.job.report;

import java.util.Locale;

/** Properties of packets that a report counts by. */
public enum ReportColumn {
    /** Line of the rule that decides. */
    RULE,
    /** Source address. */
    SOURCE,
    /** Destination address. */
    DESTINATION,
    /** Protocol and destination port, or type of ICMP. */
    SERVICE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
