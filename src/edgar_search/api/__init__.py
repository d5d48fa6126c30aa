"""Operations: functions from parameters to one answer, which every interface renders."""
