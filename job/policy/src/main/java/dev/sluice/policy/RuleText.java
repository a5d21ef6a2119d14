package dev.sluice.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Reads single rules, as people and programs write them one at a time. */
public final class RuleText {
    private static final int SHOWN = 80;

    private RuleText() {}

    /**
     * The format of a rule's text.
     *
     * @throws SluiceException naming the formats that there are, if it is none of them
     */
    public static RuleFormat format(String text) {
        RuleFormat format = RuleFormats.claiming(text);
        if (format == null) {
            throw new SluiceException("rule " + RuleFormats.unclaimed(text));
        }
        return format;
    }

    /**
     * The rule that a text says, in its {@link #format}. It has id 0, no line and no place.
     *
     * @throws SluiceException naming column, words and remedy
     */
    public static Rule parse(String text) {
        return parse(text, SwitchPorts.NONE);
    }

    /** Reads the rule of a text that may name ports of a switch. */
    public static Rule parse(String text, SwitchPorts ports) {
        if (RuleFormats.seen(text).isEmpty()) {
            throw new SluiceException("the rule is empty; write one as a rule file has it");
        }
        RuleFormat format = format(text);
        RuleList none = new RuleList(Path.of("rule"), null);
        // A reading takes bytes of UTF-8 as characters, as TextFiles.open gives them.
        String bytes = new String(text.getBytes(UTF_8), ISO_8859_1);
        try (BufferedReader in = new BufferedReader(new StringReader(bytes))) {
            RuleReading reading = new RuleReading(in, none, ports);
            format.read(reading);
            return reading.single();
        } catch (RuleSyntaxException e) {
            throw new SluiceException(
                    "rule '" + shortened(text) + "', column " + e.column() + ": " + e.getMessage(),
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String shortened(String text) {
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
    }
}
