package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.TagDepth;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.HeaderWord;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say what is taken for the header of a packet. */
public final class HeaderOptions {
    @Option(
            names = "--headers",
            paramLabel = "WHICH",
            defaultValue = "outer",
            description =
                    "IP header that is classified: outer; or inner, the last one within VXLAN, GENEVE, GRE, GTP, MPLS, L2TP and other tunnels (docs/captures.md), with the tunnel's id as tun_id (default ${DEFAULT-VALUE}).")
    private HeaderDepth headers = HeaderDepth.OUTER;

    @Option(
            names = "--tags",
            paramLabel = "WHICH",
            defaultValue = "all",
            description =
                    "Tags before the IP header that are skipped: all (VLAN tags, VN-Tag, E-TAG, Cisco CMD, MACsec without encryption, HSR, R-TAG, DSA); or switch, one VLAN tag, as Open vSwitch does (default ${DEFAULT-VALUE}).")
    private TagDepth tags = TagDepth.ALL;

    @Option(
            names = "--header-fields",
            paramLabel = "NAME,...",
            split = ",",
            converter = AskedField.class,
            description =
                    "Fields to read beside the usual ones, as in ttl,arp-op; docs/fields.md lists those that are read only where asked for. Commands with --rules read the fields that the rules name without this option.")
    private List<PacketField> fields = List.of();

    /** Converter of names of fields that are read only where asked for. */
    static final class AskedField implements ITypeConverter<PacketField> {
        @Override
        public PacketField convert(String name) {
            for (PacketField field : ParserOptions.ASKED) {
                if (field.label().equals(name.strip())) {
                    return field;
                }
            }
            throw new TypeConversionException(
                    "%s is no field that is read only where asked for; there are %s"
                            .formatted(
                                    name,
                                    ParserOptions.ASKED.toString().replaceAll("[\\[\\]]", "")));
        }
    }

    /** The chosen options. */
    public ParserOptions parsing() {
        ParserOptions chosen = new ParserOptions(headers, tags);
        for (PacketField field : fields) {
            chosen = chosen.reading(field.wordBits());
        }
        return chosen;
    }

    /** An option that is not at its default; {@code --tags switch} where no other one is. */
    String changed() {
        String tagged = fields.isEmpty() ? "--tags switch" : "--header-fields";
        return parsing().isInner() ? "--headers inner" : tagged;
    }

    /** Warns of rules on fields that the captures do not state. */
    public void warn(List<Rule> rules, PrintWriter err) {
        for (Field field : Field.values()) {
            boolean unknown = field.source() == FieldSource.MESSAGES;
            if (unknown && rules.stream().anyMatch(rule -> names(rule, field))) {
                err.println(
                        "sluice: rules name %s, which no capture states; a packet without it has 0 there"
                                .formatted(field.label()));
            }
        }
        if (!parsing().isInner()
                && rules.stream().anyMatch(r -> r.match().mask(HeaderWord.TUNNEL_ID) != 0)) {
            err.println(
                    "sluice: rules name tun_id, which is 0 of every packet as long as no tunnel is looked through; add --headers inner");
        }
    }

    private static boolean names(Rule rule, Field field) {
        return (rule.match().mask(field.word()) & field.maskInWord()) != 0;
    }
}
