package dev.sluice.job.capture;

import java.io.Serializable;

/**
 * Choice of the header that a parser reads from a packet.
 *
 * @param headers which IP header of a packet in tunnels
 * @param tags which tags it parses
 */
public record ParserOptions(HeaderDepth headers, TagDepth tags) implements Serializable {
    /** Outer headers, after all tags. */
    public static final ParserOptions DEFAULTS = new ParserOptions(HeaderDepth.OUTER, TagDepth.ALL);

    /** Innermost headers, after all tags. */
    public static final ParserOptions INNER = new ParserOptions(HeaderDepth.INNER, TagDepth.ALL);

    private static final long serialVersionUID = 1L;

    /** Tells whether innermost headers are read. */
    public boolean isInner() {
        return headers == HeaderDepth.INNER;
    }
}
