package dev.sluice.job.read;

import dev.sluice.job.UsageException;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressNetwork.IPAddressGenerator;
import inet.ipaddr.IPAddressString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Filter of rows by conditions, of which all must hold. Not thread-safe. */
public final class VerdictFilter {
    private static final Pattern NOTATION =
            Pattern.compile("(\\d+(\\.\\d+){3}|[0-9a-fA-F.]*:[0-9a-fA-F.:]+)(/\\d{1,3})?");

    private final List<Predicate<VerdictRow>> conditions = new ArrayList<>();
    private boolean addressesAreTold;
    private long withoutAddress;
    private long notIp;

    /**
     * Selects rows of one rule.
     *
     * @param rule its id, or its line as of the verdict's version; {@code none}: no rule matched
     * @throws UsageException if it is neither
     */
    public void rule(String rule) {
        if (rule.equals("none")) {
            conditions.add(row -> row.ruleId() == null);
            return;
        }
        long number;
        try {
            number = Long.parseLong(rule);
        } catch (NumberFormatException e) {
            throw new UsageException(
                    "--rule " + rule + " is no number; write a rule's id, its line, or none", e);
        }
        conditions.add(
                row -> {
                    Long id = row.ruleId();
                    Integer line = row.rule().line();
                    return id != null && id == number || line != null && line == number;
                });
    }

    /** Selects rows of an action, as the rule file writes it, in any case. */
    public void action(String action) {
        conditions.add(row -> row.action().equalsIgnoreCase(action));
    }

    /** Selects rows of an outcome of policies. */
    public void outcome(VerdictOutcome outcome) {
        conditions.add(row -> row.outcome() == outcome);
    }

    /**
     * Selects rows of a status, by its label.
     *
     * @throws UsageException if no status has that label
     */
    public void status(String label) {
        List<String> labels =
                Arrays.stream(VerdictStatus.values()).map(VerdictStatus::label).toList();
        if (!labels.contains(label)) {
            throw new UsageException(
                    "--status %s is unknown; use one of %s"
                            .formatted(label, String.join(", ", labels)));
        }
        conditions.add(row -> row.status().label().equals(label));
    }

    /** Selects rows of a version. */
    public void version(long version) {
        conditions.add(row -> row.version() == version);
    }

    /** Selects rows of histories whose id begins so. */
    public void history(String id) {
        conditions.add(row -> row.history().startsWith(id));
    }

    /**
     * Selects rows whose packet comes from or goes to an address.
     *
     * @param cidr an address, or a prefix as in {@code 10.1.0.0/16} or {@code 2001:db8::/32}
     * @throws UsageException if it is neither
     */
    public void address(String cidr) {
        IPAddress prefix = prefix(cidr);
        conditions.add(
                row -> {
                    Object source = row.fields().get(PacketField.IP_SRC);
                    Object destination = row.fields().get(PacketField.IP_DST);
                    if (source != null || destination != null) {
                        addressesAreTold = true;
                    } else if (row.tellsAddresses()) {
                        notIp++;
                    } else {
                        withoutAddress++;
                    }
                    return holds(prefix, source) || holds(prefix, destination);
                });
    }

    /** Tells whether a row meets all conditions. */
    public boolean chooses(VerdictRow row) {
        for (Predicate<VerdictRow> condition : conditions) {
            if (!condition.test(row)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the number of tested rows whose job reports no addresses, if an address is a
     * condition.
     */
    public long withoutAddress() {
        return addressesAreTold ? 0 : withoutAddress;
    }

    /**
     * Returns the number of tested rows whose packet has no address, such as ARP, if an address is
     * a condition.
     */
    public long notIp() {
        return addressesAreTold ? notIp + withoutAddress : notIp;
    }

    private static IPAddress prefix(String cidr) {
        IPAddress address =
                NOTATION.matcher(cidr).matches() ? new IPAddressString(cidr).getAddress() : null;
        if (address == null) {
            throw new UsageException(
                    "--address %s is no address; write one such as 10.1.2.3, or a prefix such as 10.1.0.0/16 or 2001:db8::/32"
                            .formatted(cidr));
        }
        return address.toPrefixBlock();
    }

    private static boolean holds(IPAddress prefix, @Nullable Object value) {
        if (!(value instanceof ByteBuffer buffer) || buffer.remaining() != prefix.getByteCount()) {
            return false;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return prefix.contains(new IPAddressGenerator().from(bytes));
    }
}
