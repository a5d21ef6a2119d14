package dev.sluice.engine.rfc;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/** Cuts headers into chunks, in the order of the header's words. */
final class HeaderChunks {
    private HeaderChunks() {}

    /** The chunks of all bits that rules name. */
    static List<RfcChunk> of(RuleSet rules) {
        List<RfcChunk> chunks = new ArrayList<>();
        for (int p = 0; p < rules.layout().size(); p++) {
            int word = rules.layout().word(p);
            int used = 0;
            for (Rule rule : rules.rules()) {
                used |= rule.match().mask(word);
                if (word == HeaderWord.PORTS) {
                    used |= rule.match().srcPorts() != 0xffff ? 0xffff0000 : 0;
                    used |= rule.match().dstPorts() != 0xffff ? 0xffff : 0;
                }
            }
            chunks.addAll(RfcChunk.of(word, used));
        }
        return chunks;
    }

    /** Which address a chunk belongs to, -1 for none. */
    static int address(RfcChunk chunk) {
        int word = chunk.word();
        if (HeaderWord.isIpv6(word)) {
            return word < HeaderWord.IPV6_DST ? HeaderWord.IPV6_SRC : HeaderWord.IPV6_DST;
        }
        if (word == HeaderWord.MAC_MIDDLE) {
            return chunk.shift() >= 16 ? HeaderWord.MAC_HIGH : HeaderWord.MAC_LOW;
        }
        return word == HeaderWord.IPV4_SRC
                        || word == HeaderWord.IPV4_DST
                        || word == HeaderWord.MAC_HIGH
                        || word == HeaderWord.MAC_LOW
                ? word
                : -1;
    }
}
