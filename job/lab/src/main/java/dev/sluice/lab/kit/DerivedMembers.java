package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Members that tables show and raw records lack, since they compare a record with others. */
final class DerivedMembers {
    /** Headers of the largest launch of a kernel; a workload's other launches follow it. */
    private static final int LARGE_LAUNCH = 4_194_304;

    private static final Map<String, String> SMALLER_LAUNCHES =
            Map.of("device", "alone", "device, in turn", "inTurn", "device, 8 at once", "atOnce");

    private DerivedMembers() {}

    /** Adds the members of a file's records; may drop records. */
    static List<ObjectNode> add(String file, List<ObjectNode> records) {
        for (ObjectNode record : records) {
            record.put(
                    "ruleSet",
                    record.path("rules")
                            .asText()
                            .replaceFirst(".*/", "")
                            .replaceFirst("\\.rules(\\.gz)?$", ""));
            record.put("size", record.path("set").asText().replaceFirst(".*_", ""));
            quotient(record, "mpps", record.path("rteAclMpps"))
                    .ifPresent(ratio -> record.put("ratio", ratio));
        }
        return file.equals("gpu.json") ? workloads(records) : records;
    }

    private static Optional<BigDecimal> quotient(JsonNode record, String member, JsonNode by) {
        JsonNode value = record.path(member);
        return value.isNumber() && by.isNumber() && by.decimalValue().signum() != 0
                ? Optional.of(value.decimalValue().divide(by.decimalValue(), MathContext.DECIMAL64))
                : Optional.empty();
    }

    /** Puts the smaller launches of each workload of a device into the record of its largest. */
    private static List<ObjectNode> workloads(List<ObjectNode> records) {
        List<ObjectNode> all = new ArrayList<>();
        ObjectNode workload = null;
        for (ObjectNode record : records) {
            String way = record.path("way").asText();
            if (way.equals("device") && record.path("headersALaunch").asInt() == LARGE_LAUNCH) {
                workload = record;
                timeOverFloor(record).ifPresent(times -> record.put("timeOverFloor", times));
                record.put("kind", kind(record.path("name").asText()));
                all.add(record);
            } else if (workload != null && way.startsWith("device")) {
                workload.set(SMALLER_LAUNCHES.getOrDefault(way, way), record.path("mpps"));
            } else {
                all.add(record);
            }
        }
        return all;
    }

    /** Returns the lower of the rates that moving bytes and random reads allow, over the rate. */
    private static Optional<String> timeOverFloor(JsonNode record) {
        BigDecimal roof = record.path("floorMpps").decimalValue();
        Optional<BigDecimal> reads = quotient(record, "gatherMps", record.path("sectors"));
        return Optional.of(reads.map(roof::min).orElse(roof))
                .map(r -> r.divide(record.path("mpps").decimalValue(), MathContext.DECIMAL64))
                .map(times -> Figure.rounded(times, 3));
    }

    private static String kind(String workload) {
        if (workload.matches("(acl1|fw1|ipc1)_100?k.*|(acl1|fw1|ipc1)_1k.*")) {
            return "ClassBench, " + workload.replaceFirst(".*?_(\\d+k).*", "$1");
        }
        if (workload.matches("openflow_10?k|ng_.*")) {
            return "OpenFlow, 1k to 10k";
        }
        return workload.equals("openflow_128k")
                ? "OpenFlow, 128k"
                : workload.equals("ipv6_10k") ? "IPv6 5-tuples, 10k" : "";
    }
}
