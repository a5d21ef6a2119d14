package dev.sluice.job.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of addresses of this machine that a process listens on, and that clients reach. */
final class ListenAddress implements ITypeConverter<String> {
    @Override
    public String convert(String host) {
        try {
            if (!InetAddress.getByName(host).isAnyLocalAddress()) {
                return host;
            }
        } catch (UnknownHostException e) {
            throw new TypeConversionException(host + " is not known; name one of this machine");
        }
        throw new TypeConversionException(
                host + " is no address that clients reach; name one of this machine");
    }
}
