package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.policy.model.Period;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Periods of time as JSON objects, there and back. */
final class JsonPeriods {
    private static final int WEEKDAYS = 7;
    private static final int MONTHDAYS = 31;

    private JsonPeriods() {}

    /** Writes the object of a period. */
    static void write(Period period, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("first", Instant.ofEpochSecond(period.first()).toString());
        out.writeStringField("last", Instant.ofEpochSecond(period.last()).toString());
        out.writeStringField("start", LocalTime.ofSecondOfDay(period.start()).toString());
        out.writeStringField("stop", LocalTime.ofSecondOfDay(period.stop()).toString());
        writeDays("weekdays", period.weekdays(), WEEKDAYS, out);
        writeDays("monthdays", period.monthdays(), MONTHDAYS, out);
        out.writeBooleanField("contiguous", period.contiguous());
        if (period.offset() != 0) {
            out.writeStringField("offset", ZoneOffset.ofTotalSeconds(period.offset()).getId());
        }
        out.writeEndObject();
    }

    private static void writeDays(String key, int days, int most, JsonGenerator out)
            throws IOException {
        out.writeArrayFieldStart(key);
        for (int day = 1; day <= most; day++) {
            if ((days >>> day & 1) != 0) {
                out.writeNumber(day);
            }
        }
        out.writeEndArray();
    }

    /** Reads the object of a period. */
    static Period read(YamlNode node) throws YamlException {
        YamlFields fields = YamlFields.of(node);
        Period period =
                new Period(
                        instant(fields.require("first")),
                        instant(fields.require("last")),
                        ofDay(fields.require("start")),
                        ofDay(fields.require("stop")),
                        days(fields.require("weekdays"), WEEKDAYS),
                        days(fields.require("monthdays"), MONTHDAYS),
                        fields.flag("contiguous"),
                        offset(fields.take("offset")));
        fields.requireNoMore("a period of time");
        return period;
    }

    private static long instant(YamlNode node) throws YamlException {
        try {
            return Instant.parse(node.string()).getEpochSecond();
        } catch (DateTimeException e) {
            throw node.at()
                    .refused(
                            node.string(),
                            "is no point in time; write one as in 2026-11-28T17:00:00Z");
        }
    }

    private static int offset(@Nullable YamlNode node) throws YamlException {
        if (node == null) {
            return 0;
        }
        try {
            return ZoneOffset.of(node.string()).getTotalSeconds();
        } catch (DateTimeException e) {
            throw node.at().refused(node.string(), "is no offset from UTC; write one as in +01:00");
        }
    }

    private static int ofDay(YamlNode node) throws YamlException {
        try {
            return LocalTime.parse(node.string()).toSecondOfDay();
        } catch (DateTimeException e) {
            throw node.at().refused(node.string(), "is no time of day; write one as in 17:00:00");
        }
    }

    private static int days(YamlNode list, int most) throws YamlException {
        int days = 0;
        for (YamlNode node : list.values()) {
            Integer day = YamlFields.number(node, 1, most);
            if (day == null) {
                throw node.at().refused(node.words(), "is no day; write its number");
            }
            days |= 1 << day;
        }
        return days;
    }
}
