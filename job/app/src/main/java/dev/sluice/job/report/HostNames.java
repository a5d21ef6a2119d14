package dev.sluice.job.report;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Names of hosts by their addresses, as {@code /etc/hosts} has them. */
public final class HostNames {
    /** No names. */
    public static final HostNames NONE = new HostNames(Map.of());

    private final Map<ByteBuffer, String> names;

    private HostNames(Map<ByteBuffer, String> names) {
        this.names = names;
    }

    /**
     * Reads a file of lines {@code ADDRESS NAME [ALIAS...]}. Of several lines of an address the
     * first counts.
     *
     * @throws SluiceException naming file, line and remedy
     */
    public static HostNames read(Path file) {
        Map<ByteBuffer, String> names = new HashMap<>();
        TextFiles.eachEntry(
                file,
                "file of hosts",
                (line, text) -> {
                    String[] words = text.split("\\s+", 3);
                    try {
                        if (words.length < 2) {
                            throw new RuleSyntaxException(1, text, "has no name");
                        }
                        names.putIfAbsent(address(words[0].replaceFirst("%.*", "")), words[1]);
                    } catch (RuleSyntaxException e) {
                        throw new SluiceException(
                                "%s:%d: '%s': is no host; write its address and its name, as in: 10.0.0.5 web1"
                                        .formatted(file, line, text),
                                e);
                    }
                });
        return new HostNames(names);
    }

    /** The bytes of an address in text. */
    static ByteBuffer address(String text) throws RuleSyntaxException {
        return text.indexOf(':') < 0
                ? ByteBuffer.allocate(4).putInt(0, Literals.ipv4(text, 1))
                : ByteBuffer.wrap(Literals.ipv6(text, 1));
    }

    /** The name of an address; empty: none is known. */
    String name(ByteBuffer address) {
        return names.getOrDefault(address, "");
    }
}
