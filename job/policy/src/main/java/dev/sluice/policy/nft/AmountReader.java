package dev.sluice.policy.nft;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reader of times, counters, limits, quotas and logs, none of which a header tells of. */
final class AmountReader {
    private static final Set<String> UNITS = Set.of("bytes", "kbytes", "mbytes");
    private static final Set<String> SPANS = Set.of("second", "minute", "hour", "day", "week");

    private static final Map<String, Integer> SECONDS =
            Map.of("second", 1, "minute", 60, "hour", 3600, "day", 86400, "week", 604800);

    private final Cursor in;

    AmountReader(Cursor in) {
        this.in = in;
    }

    /** A counter's packets and bytes, which may be left out. */
    Node counter(Token at) throws RefusedException {
        if (!in.take("packets")) {
            return new Node(at.at(), null);
        }
        Node packets = in.word("a number").node();
        in.need("bytes");
        Node bytes = in.word("a number").node();
        packets.number(Long.SIZE);
        bytes.number(Long.SIZE);
        return Node.object(at.at(), "packets", packets, "bytes", bytes);
    }

    /** A time, in seconds. */
    Node time() throws RefusedException {
        Node value = in.value("a time");
        String text = value.text();
        if (!text.matches("([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?")
                || text.isEmpty()) {
            throw value.refused("is no time; write it as in 1d2h3m4s");
        }
        return new Node(value.at(), BigInteger.valueOf(seconds(text)).toString());
    }

    private static long seconds(String text) {
        long seconds = 0;
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean millis = text.startsWith("ms", i);
            if (Character.isDigit(c)) {
                number = number * 10 + c - '0';
                continue;
            }
            seconds +=
                    millis
                            ? 0
                            : number
                                    * switch (c) {
                                        case 'd' -> 86400;
                                        case 'h' -> 3600;
                                        case 'm' -> 60;
                                        default -> 1;
                                    };
            number = 0;
            i += millis ? 1 : 0;
        }
        return seconds;
    }

    /** The words behind {@code limit}. */
    Node limit(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        in.need("rate");
        boolean over = in.take("over");
        if (!over) {
            in.take("until");
        }
        Node rate = in.word("a number").node();
        rate.number(Long.SIZE);
        value.put("rate", rate);
        Token unit = in.next();
        String[] words = unit.text().split("/", -1);
        String span;
        if (words.length == 2 && UNITS.contains(words[0])) {
            value.put("rate_unit", new Node(unit.at(), words[0]));
            span = words[1];
        } else if (unit.is("/")) {
            span = in.word("second, minute, hour, day or week").text();
        } else if (UNITS.contains(unit.text())) {
            value.put("rate_unit", unit.node());
            in.need("/");
            span = in.word("second, minute, hour, day or week").text();
        } else {
            throw unit.refused("is no unit of a rate; write it as in 10/second");
        }
        if (!SPANS.contains(span)) {
            throw in.last()
                    .refused("is no time of a rate; write second, minute, hour, day or week");
        }
        if (in.take("burst")) {
            Node burst = in.word("a number").node();
            burst.number(Integer.SIZE);
            Token of = in.word("packets or bytes");
            if (value.containsKey("rate_unit") ? !UNITS.contains(of.text()) : !of.is("packets")) {
                throw of.refused("is no unit of this burst; write that of the rate");
            }
            if (!burst.is("5") || !of.is("packets")) {
                value.put("burst", burst);
            }
            if (!of.is("packets")) {
                value.put("burst_unit", of.node());
            }
        }
        requireSpan(rate, value, span);
        value.put("per", new Node(first.at(), span));
        if (over) {
            value.put("inv", new Node(first.at(), "true"));
        }
        return new Node(first.at(), value);
    }

    /** Refuses a rate of bytes of which the kernel cannot count the nanoseconds. */
    private static void requireSpan(Node rate, Map<String, Node> value, String span)
            throws RefusedException {
        if (!value.containsKey("rate_unit")) {
            return;
        }
        BigInteger bytes = bytes(rate, value.get("rate_unit"));
        Node burst = value.get("burst");
        BigInteger more = burst == null ? BigInteger.ZERO : bytes(burst, value.get("burst_unit"));
        BigInteger nanos =
                BigInteger.valueOf(SECONDS.getOrDefault(span, 1)).multiply(BigInteger.TEN.pow(9));
        if (bytes.add(more).multiply(nanos).bitLength() > Long.SIZE) {
            throw rate.refused("is a rate beyond what the kernel counts; write a lower one");
        }
    }

    private static BigInteger bytes(Node number, @Nullable Node unit) throws RefusedException {
        int shift = unit == null ? 0 : unit.is("kbytes") ? 10 : unit.is("mbytes") ? 20 : 0;
        return number.number(Long.SIZE).shiftLeft(shift);
    }

    /** The words behind {@code quota}. */
    Node quota(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        boolean over = in.take("over");
        if (!over) {
            in.take("until");
        }
        value.put("val", amount());
        value.put("val_unit", in.last().node());
        if (in.take("used")) {
            value.put("used", amount());
            value.put("used_unit", in.last().node());
        }
        if (over) {
            value.put("inv", new Node(first.at(), "true"));
        }
        return new Node(first.at(), value);
    }

    /** A number of bytes, whose unit is read, too. */
    private Node amount() throws RefusedException {
        Node number = in.word("a number").node();
        number.number(Long.SIZE);
        if (!UNITS.contains(in.word("bytes, kbytes or mbytes").text())) {
            throw in.last().refused("is no unit; write bytes, kbytes or mbytes");
        }
        return number;
    }

    /** The words behind {@code log}. */
    Node log(Token first) throws RefusedException {
        Map<String, Node> value = new LinkedHashMap<>();
        while (Set.of("prefix", "group", "snaplen", "queue-threshold", "level", "flags")
                .contains(in.peek().text())) {
            Token key = in.next();
            if (value.containsKey(key.text()) && !key.is("flags")) {
                throw key.refused("stands a second time; keep one");
            }
            value.put(key.text(), logOption(key));
        }
        boolean audit = value.containsKey("level") && value.get("level").is("audit");
        boolean toKernel = value.containsKey("level") || value.containsKey("flags");
        boolean toGroup =
                value.containsKey("group")
                        || value.containsKey("snaplen")
                        || value.containsKey("queue-threshold");
        if (audit && value.size() > 1 || toKernel && toGroup) {
            throw first.refused(
                    audit
                            ? "logs to audit, which takes no other option; remove the others"
                            : "has options of the kernel's log and of a group; keep those of one");
        }
        return value.isEmpty() ? new Node(first.at(), null) : new Node(first.at(), value);
    }

    private Node logOption(Token key) throws RefusedException {
        return switch (key.text()) {
            case "prefix" -> in.value("a text");
            case "level" -> {
                Token level = in.word("a level");
                if (!Set.of(
                                "emerg", "alert", "crit", "err", "warn", "notice", "info", "debug",
                                "audit")
                        .contains(level.text())) {
                    throw level.refused(
                            "is no level; write emerg, alert, crit, err, warn, notice,"
                                    + " info, debug or audit");
                }
                yield level.node();
            }
            case "flags" -> {
                Token flag = in.word("a flag");
                Set<String> more =
                        switch (flag.text()) {
                            case "tcp" -> Set.of("sequence", "options");
                            case "ip" -> Set.of("options");
                            case "skuid", "ether", "all" -> Set.<String>of();
                            default ->
                                    throw flag.refused(
                                            "is no flag of log; write all, skuid, ether, tcp"
                                                    + " sequence, tcp options or ip options");
                        };
                while (!more.isEmpty()) {
                    Token of = in.word("a flag");
                    if (!more.contains(of.text())) {
                        throw of.refused("is no flag of log; write one of " + more);
                    }
                    if (!in.take(",")) {
                        break;
                    }
                }
                yield flag.node();
            }
            default -> {
                Node number = in.word("a number").node();
                number.number(key.is("snaplen") ? Integer.SIZE : Short.SIZE);
                yield number;
            }
        };
    }
}
