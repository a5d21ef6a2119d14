package dev.sluice.job.cli;

import java.util.regex.Pattern;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes in bytes: a number, perhaps with k, m or g behind it, in powers of 1024. */
public final class Sizes implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("0*[1-9]\\d{0,17}[kmgKMG]?");

    @Override
    public Long convert(String text) {
        if (!SIZE.matcher(text).matches()) {
            throw new TypeConversionException(
                    text + " is no size; write a number of bytes, or 512m or 2g");
        }
        try {
            return MemorySize.parseBytes(text);
        } catch (IllegalArgumentException e) { // no Long holds it
            throw new TypeConversionException(text + " is beyond 8 EiB; write a smaller size");
        }
    }
}
