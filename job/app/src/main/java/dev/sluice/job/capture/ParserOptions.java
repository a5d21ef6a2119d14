package dev.sluice.job.capture;

import java.io.Serializable;

/**
 * Choice of the header that a parser takes for a packet.
 *
 * @param headers which IP header of a packet in tunnels
 * @param tags which tags it looks through
 */
public record ParserOptions(HeaderDepth headers, TagDepth tags) implements Serializable {
    /** Outer headers, behind all tags. */
    public static final ParserOptions DEFAULTS = new ParserOptions(HeaderDepth.OUTER, TagDepth.ALL);

    /** Innermost headers, behind all tags. */
    public static final ParserOptions INNER = new ParserOptions(HeaderDepth.INNER, TagDepth.ALL);

    private static final long serialVersionUID = 1L;

    /** Whether innermost headers count. */
    public boolean isInner() {
        return headers == HeaderDepth.INNER;
    }
}
