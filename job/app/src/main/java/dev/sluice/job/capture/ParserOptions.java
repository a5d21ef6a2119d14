package dev.sluice.job.capture;

import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.FieldSource;
import java.io.Serializable;
import java.util.List;

/**
 * Choice of the header that a parser takes for a packet, and of its fields.
 *
 * @param headers which IP header of a packet in tunnels
 * @param tags which tags it looks through
 * @param words bit w set: fields of header word w are read that are read only where asked for
 * @param segments whether the words of {@link dev.sluice.schemas.header.TcpSegment} are read
 */
public record ParserOptions(HeaderDepth headers, TagDepth tags, long words, boolean segments)
        implements Serializable {
    /** Outer headers, behind all tags. */
    public static final ParserOptions DEFAULTS = new ParserOptions(HeaderDepth.OUTER, TagDepth.ALL);

    /** Innermost headers, after all tags. */
    public static final ParserOptions INNER = new ParserOptions(HeaderDepth.INNER, TagDepth.ALL);

    /** Fields that are read only where asked for. */
    public static final List<PacketField> ASKED =
            PacketField.values().stream()
                    .filter(field -> field.source() == FieldSource.ASKED)
                    .toList();

    private static final long serialVersionUID = 3L;

    /** The usual fields. */
    public ParserOptions(HeaderDepth headers, TagDepth tags) {
        this(headers, tags, 0, false);
    }

    /** These options, with the fields that are asked for in more header words. */
    public ParserOptions reading(long more) {
        return new ParserOptions(headers, tags, words | more, segments);
    }

    /** These options, with the numbers of TCP segments if they are wanted. */
    public ParserOptions readingSegments(boolean wanted) {
        return new ParserOptions(headers, tags, words, segments || wanted);
    }

    /** The fields that were asked for. */
    public List<PacketField> asked() {
        return ASKED.stream()
                .filter(field -> (words >>> field.rows().get(0).word() & 1) != 0)
                .toList();
    }

    /** Tells whether innermost headers are read. */
    public boolean isInner() {
        return headers == HeaderDepth.INNER;
    }
}
